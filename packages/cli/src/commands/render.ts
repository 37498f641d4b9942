import type { Context } from '../context.js'
import { clusterOptions } from '../options/cluster-options.js'
import { commonOptions } from '../options/common-options.js'
import { objectOptions } from '../options/object-options.js'
import type { OptionTable } from '../options/option.js'
import type { Command } from './command.js'

export const renderOptions = {
  ...objectOptions,
  ...clusterOptions,
  family: {
    type: 'string',
    choices: ['4', '6', 'both'],
    description:
      'The address families. Default: for json both; for text IPv4,\n' +
      'or IPv6 where no Service has an IPv4 address. As text, both are\n' +
      'printed under the lines # IPv4 and # IPv6.',
  },
  part: {
    type: 'string',
    choices: ['ipset', 'ipvsadm', 'addresses', 'iptables'],
    placeholder: 'PART',
    description:
      'Mode ipvs: ipset, ipvsadm, addresses or iptables, ready to pipe.\n' +
      'Default: all of them, each under a line such as # ipset.',
  },
  style: {
    type: 'string',
    choices: ['restore', 'save', 'listing'],
    placeholder: 'STYLE',
    description:
      'restore: as kube-proxy feeds it to iptables-restore --noflush\n' +
      '(default). save: as iptables-save prints it afterwards.\n' +
      'listing, mode ipvs: what ipvsadm -Ln prints.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'Whose spelling save has: iptables-nft (default) or\niptables-legacy.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description:
      'text: the rules (default). json: the rules, health-check ports,\ncounts and diagnostics in one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable

export const renderCommand: Command = {
  name: 'render',
  summary: 'Print the rules kube-proxy would program for a cluster.',
  usage: 'render -f FILE|DIR|- [options]',
  description:
    'Prints the rules kube-proxy would program on one node for the Services, EndpointSlices,\n' +
    'Endpoints and Nodes of a cluster. Objects of other kinds are ignored. An object with an\n' +
    'error is named on standard error and left out.',
  options: renderOptions,
  examples: [
    'kubectl get svc,endpointslices,nodes -A -o json | kube-rules render -f - --node node-1',
    'kube-rules render -f manifests/ --config kube-proxy.yaml --mode iptables --family 6',
    'kube-rules render -f cluster.yaml --mode ipvs --part ipvsadm',
    'kube-rules render -f cluster.yaml -o json --strict',
  ],
  run: async (context: Context): Promise<number> => {
    const { runRender } = await import('./render/run-render.js')
    return runRender(context, renderOptions)
  },
}
