import type { Command } from './command.js'

export const compareCommand: Command = {
  name: 'compare',
  summary: 'Compare two rulesets for every packet.',
  usage: 'compare (-f FILE | --cluster) (--modes A,B | --dump FILE) | --live NODE [options]',
  description:
    'Reports whether two rulesets handle every packet equally, with the same probabilities: those of\n' +
    'two modes, of two versions of kube-proxy, or the compiled rules and the rules of a live node.\n' +
    'Prints the packets that they handle differently, with the outcome on either side. For a change\n' +
    'of manifests use kube-rules diff OLD NEW --traffic.',
  options: async () => (await import('./compare/compare-options.js')).compareOptions,
  examples: [
    'kube-rules compare -f cluster.yaml --modes ipvs,nftables',
    'kube-rules compare -f cluster.yaml --kubernetes-versions 1.23,1.32',
    'iptables-save | kube-rules compare -f cluster.yaml --dump -',
  ],
  exitCodes: [
    ['0', 'Both rulesets handle every packet equally.'],
    ['1', 'A packet is handled differently.'],
    ['2', 'The usage or the input is invalid, or the outcome of a packet is unknown.'],
  ],
  run: async (context) => (await import('./compare/run-compare.js')).runCompare(context),
}
