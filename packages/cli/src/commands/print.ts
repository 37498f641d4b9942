import type { Command } from './command.js'

export const printCommand: Command = {
  name: 'print',
  summary: 'Print the rules that kube-proxy would program on a node.',
  usage: 'print -f FILE|DIR|- | --cluster [options]',
  description:
    'Prints the rules that kube-proxy would program on one node for the Services, EndpointSlices,\n' +
    'Endpoints, Nodes and ServiceCIDRs of a cluster. Objects with pods, such as Deployments, are\n' +
    'read for assumed endpoints, and other kinds are ignored. Invalid objects are skipped and\n' +
    'reported on standard error.',
  options: async () => (await import('./print/print-options.js')).printOptions,
  examples: [
    'kube-rules print -f cluster.json --config kube-proxy.json --node node-1',
    'kube-rules print -f manifests/ --config kube-proxy.yaml --mode iptables --family 6',
    'kube-rules print -f cluster.yaml --mode ipvs --subsystem ipvs',
    'kube-rules print -f cluster.yaml -o json --strict',
  ],
  exitCodes: [['0', 'The rules were printed.']],
  run: async (context) => (await import('./print/run-print.js')).runPrint(context),
}
