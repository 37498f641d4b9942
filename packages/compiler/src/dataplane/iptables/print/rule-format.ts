/**
 * The two text formats of iptables: `restore` is the input of kube-proxy for iptables-restore, and `save` is the output
 * of iptables-save.
 */
export type RuleFormat = 'restore' | 'save'
