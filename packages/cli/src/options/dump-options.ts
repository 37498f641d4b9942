import type { OptionTable } from './option.js'

/** Where the rules of a live node come from; shared by the commands that read them back. */
export const dumpOptions = {
  dump: {
    type: 'string',
    multiple: true,
    placeholder: 'FILE|-',
    description:
      'What iptables-save, ip6tables-save, ipset save and ipvsadm -Sn\n' +
      'print, one after another in one file or several.',
  },
} as const satisfies OptionTable
