import type { Command } from './command.js'

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Compare the rules of a node with the expected rules.',
  usage: 'verify (-f FILE|DIR|- | --cluster) --dump FILE|- | --live NODE [options]',
  description:
    'Prints the drift of a node: unexpected and missing rules, by service port. Ignores rules of other\n' +
    "programs. Pass the configuration of the node's kube-proxy:\n" +
    'kubectl -n kube-system get cm kube-proxy -o json',
  options: async () => (await import('./verify/verify-options.js')).verifyOptions,
  examples: [
    'kube-rules verify --live node-1',
    'iptables-save | kube-rules verify -f cluster.json --config kube-proxy.json --node node-1 --dump -',
    'kube-rules verify -f cluster.yaml --mode ipvs --dump rules.txt --dump sets.txt',
    'kube-rules verify -f cluster.yaml --dump node.dump --script',
    'kube-rules verify -f cluster.yaml --dump node.dump -o json',
  ],
  exitCodes: [
    ['0', 'The node has no drift.'],
    ['1', 'The node has drift, or old rules of another mode or back end.'],
    ['3', 'No drift was found, but the dump is incomplete, so some parts were not verified.'],
  ],
  run: async (context) => (await import('./verify/run-verify.js')).runVerify(context),
}
