import type { Command } from './command.js'

export const compareCommand: Command = {
  name: 'compare',
  summary: 'Compare what two rule sets do with every packet.',
  usage: 'compare -f FILE|DIR|- --modes A,B | --dump FILE [options]',
  description:
    'Says whether two rule sets for the objects of -f do the same with every packet, with the same\n' +
    'probabilities: those of two modes, of two versions of kube-proxy, or the compiled ones and what\n' +
    'a live node holds. Where they do not, prints which packets, and what becomes of them on either\n' +
    'side. What a change of manifests does to packets: kube-rules diff OLD NEW --traffic.',
  options: async () => (await import('./compare/compare-options.js')).compareOptions,
  examples: [
    'kube-rules compare -f cluster.yaml --modes ipvs,nftables',
    'kube-rules compare -f cluster.yaml --mode nftables --kubernetes-versions 1.33,1.34',
    'iptables-save | kube-rules compare -f cluster.yaml --dump -',
  ],
  exitCodes: [
    ['0', 'Both rule sets handle every packet the same.'],
    ['1', 'A packet is handled differently.'],
    ['2', 'Wrong usage, input that cannot be used, or packets for which it cannot be decided.'],
  ],
  run: async (context) => (await import('./compare/run-compare.js')).runCompare(context),
}
