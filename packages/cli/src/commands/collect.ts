import { commonOptions } from '../options/option.js'
import type { Command } from './command.js'

export const collectCommand: Command = {
  name: 'collect',
  summary: 'Print the shell line that gathers what a node holds.',
  usage: 'collect',
  description:
    'Prints one line for a shell on the node that writes node.dump: rules of both back ends of\n' +
    'iptables and of both families, ipsets, virtual servers, addresses and tables of nft, for\n' +
    '--dump of verify and explain. It only reads, as root. Nothing is run here.',
  options: async () => commonOptions,
  examples: ['kube-rules collect', 'ssh node-1 "$(kube-rules collect)"'],
  exitCodes: [['0', 'The line was printed.']],
  run: async (context) => (await import('./collect/run-collect.js')).runCollect(context),
}
