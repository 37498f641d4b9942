import type { Command } from './command.js'

export const proveCommand: Command = {
  name: 'prove',
  summary: 'Prove that the rules do what the objects specify, for every packet.',
  usage: 'prove -f FILE|DIR|- | --cluster [options]',
  description:
    'Computes the rules, and compares their outcome for every packet with the outcome that the objects\n' +
    'specify: packets are divided into classes, and one packet of each class is traced. Prints one\n' +
    'line for each address family, with the limitations of the mode that affect packets, and a\n' +
    'counterexample for each deviation. This tests kube-rules, and the mode with your objects; verify\n' +
    'tests a node.',
  options: async () => (await import('./prove/prove-options.js')).proveOptions,
  examples: [
    'kube-rules prove -f cluster.json --config kube-proxy.json --node node-1',
    'kube-rules prove -f manifests/ --mode nftables',
  ],
  exitCodes: [
    ['0', 'Proven.'],
    ['1', 'Refuted: there is a counterexample.'],
    ['2', 'Invalid usage or input, an unread subdirectory, or an inconclusive proof.'],
  ],
  run: async (context) => (await import('./prove/run-prove.js')).runProve(context),
}
