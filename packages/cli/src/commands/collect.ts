import type { Command } from './command.js'

export const collectCommand: Command = {
  name: 'collect',
  summary: 'Print a shell script that collects the rules of a node, or run it.',
  usage: 'collect [options]',
  description:
    'Prints a script for sh. On a node, the script prints the rules of both back ends of iptables\n' +
    'and of both families, ipsets, virtual servers, addresses and nftables tables, for --dump of\n' +
    'verify and explain, and kernel settings that affect Services. The script needs root\n' +
    'and only reads. At its end, it lists what it could not read. dash, bash and busybox can\n' +
    'run it, without other tools than those that print rules. Nothing is executed here.\n' +
    'With --live, runs the script on the node, and prints the objects and the rules in one file\n' +
    'for -f and --dump.',
  options: async () => (await import('./collect/collect-options.js')).collectOptions,
  examples: [
    'kube-rules collect | ssh root@node-1 sh > node.dump',
    'kube-rules collect > collect.sh',
    'kube-rules collect --live node-1 > node-1.json',
  ],
  exitCodes: [['0', 'The script, or with --live the file, was printed.']],
  run: async (context) => (await import('./collect/run-collect.js')).runCollect(context),
}
