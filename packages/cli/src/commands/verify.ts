import type { Command } from './command.js'

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Compare what a node holds with the rules for a cluster.',
  usage: 'verify -f FILE|DIR|- --dump FILE|- [options]',
  description:
    'Prints what a node holds that kube-proxy would not have programmed for a cluster, and what is\n' +
    'missing there, by service port. Rules of other programs are left alone.\n' +
    "Give the configuration of the node's kube-proxy:\n" +
    'kubectl -n kube-system get cm kube-proxy -o json',
  options: async () => (await import('./verify/verify-options.js')).verifyOptions,
  examples: [
    'iptables-save | kube-rules verify -f cluster.json --config kube-proxy.json --node node-1 --dump -',
    'kube-rules verify -f cluster.yaml --mode ipvs --dump rules.txt --dump sets.txt',
    'kube-rules verify -f cluster.yaml --dump node.dump --script',
    'kube-rules verify -f cluster.yaml --dump node.dump -o json',
  ],
  exitCodes: [
    ['0', 'The node has no drift.'],
    ['1', 'The node has drift.'],
    ['3', 'No drift was found, but the dump lacks something that has to be verified.'],
  ],
  run: async (context) => (await import('./verify/run-verify.js')).runVerify(context),
}
