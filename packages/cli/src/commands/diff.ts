import type { Command } from './command.js'

export const diffCommand: Command = {
  name: 'diff',
  summary: 'Print what has to be run when a cluster changes.',
  usage: 'diff OLD NEW [options]',
  description:
    'Prints a script for sh with the runs of iptables-restore and other tools that take a node\n' +
    'from the rules for OLD to the rules for NEW, and nothing where the rules are the same. It\n' +
    'ends at the first run that fails. OLD and NEW are each a file of objects, a directory of\n' +
    'such files, or - for standard input. Options hold for both.',
  options: async () => (await import('./diff/diff-options.js')).diffOptions,
  examples: [
    'kube-rules diff yesterday.json today.json --config kube-proxy.json --node node-1',
    'kube-rules diff old/ new/ --mode iptables --backend legacy',
    'kube-rules diff old.yaml new.yaml --stat',
  ],
  exitCodes: [
    ['0', 'Nothing changes: the rules are the same; with --traffic: every packet is handled the same.'],
    ['1', 'Something changes.'],
    ['2', 'Wrong usage or input that cannot be used; with --traffic: or it cannot be decided.'],
  ],
  run: async (context) => (await import('./diff/run-diff.js')).runDiff(context),
}
