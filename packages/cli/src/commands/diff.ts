import type { Command } from './command.js'

export const diffCommand: Command = {
  name: 'diff',
  summary: 'Print the commands that update a node after a change.',
  usage: 'diff OLD NEW [options]',
  description:
    'Prints a script for sh that updates a node from the rules for OLD to the rules for NEW with\n' +
    'iptables-restore and other tools. Prints nothing if the rules are equal. The script stops at\n' +
    'the first command that fails. OLD and NEW are each a file of objects, a directory of such\n' +
    'files, or - for standard input. Options apply to both.',
  options: async () => (await import('./diff/diff-options.js')).diffOptions,
  examples: [
    'kube-rules diff yesterday.json today.json --config kube-proxy.json --node node-1',
    'kube-rules diff old/ new/ --mode iptables --backend legacy',
    'kube-rules diff old.yaml new.yaml --stat',
  ],
  exitCodes: [
    ['0', 'The rules are equal or, with --traffic, every packet is handled equally.'],
    ['1', 'Something changes.'],
    ['2', 'Invalid usage or input, an unread subdirectory or, with --traffic, an unknown outcome.'],
  ],
  run: async (context) => (await import('./diff/run-diff.js')).runDiff(context),
}
