import type { Command } from './command.js'

export const diffCommand: Command = {
  name: 'diff',
  summary: 'Print what has to be run when a cluster changes.',
  usage: 'diff OLD NEW [options]',
  description:
    'Prints the runs of iptables-restore and other tools that take a node from the rules for OLD\n' +
    'to the rules for NEW, in their order, and nothing where the rules are the same. OLD and NEW\n' +
    'are each a file of objects, a directory of such files, or - for standard input. Options\n' +
    'hold for both.',
  options: async () => (await import('./diff/diff-options.js')).diffOptions,
  examples: [
    'kubectl get svc,endpointslices,nodes -A -o json | kube-rules diff yesterday.json - --node node-1',
    'kube-rules diff old/ new/ --mode iptables --backend legacy',
    'kube-rules diff old.yaml new.yaml --stat',
  ],
  run: async (context) => (await import('./diff/run-diff.js')).runDiff(context),
}
