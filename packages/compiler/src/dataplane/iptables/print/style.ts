/**
 * The two spellings of the language: `restore` as kube-proxy writes it for iptables-restore, `save` as iptables-save
 * prints it back.
 */
export type Style = 'restore' | 'save'
