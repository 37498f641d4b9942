/**
 * The two text formats of iptables: `restore` is the kube-proxy input for iptables-restore, `save` is the iptables-save
 * output.
 */
export type RuleFormat = 'restore' | 'save'
