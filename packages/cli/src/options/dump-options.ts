import type { OptionTable } from './option.js'

/** What a live node holds; shared by the commands that read it back. */
export const dumpOptions = {
  dump: {
    type: 'string',
    multiple: true,
    placeholder: 'FILE|-',
    description:
      'What the node holds, as iptables-save, ip6tables-save,\n' +
      'ipset save, ipvsadm -Sn, ip -o address show dev kube-ipvs0 and\n' +
      'nft list ruleset print it, in any order in one file or several.',
  },
} as const satisfies OptionTable
