import type { Command } from './command.js'

export const collectCommand: Command = {
  name: 'collect',
  summary: 'Print a shell command that collects the rules of a node.',
  usage: 'collect [options]',
  description:
    'Prints a shell command that writes node.dump on the node: rules of both back ends of iptables\n' +
    'and of both families, ipsets, virtual servers, addresses and nftables tables, for --dump of\n' +
    'verify and explain, and kernel settings that affect Services. The command needs root\n' +
    'and only reads. Nothing is executed here.',
  options: async () => (await import('./collect/collect-options.js')).collectOptions,
  examples: ['kube-rules collect', 'ssh node-1 "$(kube-rules collect)"'],
  exitCodes: [['0', 'The line was printed.']],
  run: async (context) => (await import('./collect/run-collect.js')).runCollect(context),
}
