import type { Command } from './command.js'

export const proveCommand: Command = {
  name: 'prove',
  summary: 'Prove that the rules do what the objects specify, for every packet.',
  usage: 'prove -f FILE|DIR|- [options]',
  description:
    'Computes the rules, and compares them with the decisions of the plan for every packet: packets\n' +
    'are divided into classes, and one packet of each class is traced. Prints one line for each\n' +
    'address family, with the limitations of the mode that affect packets, and a counterexample for\n' +
    'each deviation. This tests kube-rules, and the mode with your objects; verify tests a node.',
  options: async () => (await import('./prove/prove-options.js')).proveOptions,
  examples: [
    'kube-rules prove -f cluster.json --config kube-proxy.json --node node-1',
    'kube-rules prove -f manifests/ --mode nftables',
  ],
  exitCodes: [
    ['0', 'Proven.'],
    ['1', 'Refuted: there is a counterexample.'],
    ['2', 'Wrong usage or invalid input; also if it is inconclusive.'],
  ],
  run: async (context) => (await import('./prove/run-prove.js')).runProve(context),
}
