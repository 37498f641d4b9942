import { modeNames } from '@kube-rules/compiler/tables'
import { either } from './either.js'
import type { OptionTable } from './option.js'

/** Options for configuration, host and version; shared by the commands that compile. */
export const clusterOptions = {
  config: {
    type: 'string',
    placeholder: 'FILE',
    description: 'A KubeProxyConfiguration, or the ConfigMap kube-proxy of kubeadm.\nWins over one among the objects.',
  },
  host: {
    type: 'string',
    placeholder: 'FILE',
    description:
      'What the node itself has: interfaces with their addresses, and\n' +
      'what its kernel and iptables know. Default: the addresses of the\nNode.',
  },
  node: {
    type: 'string',
    placeholder: 'NAME',
    description:
      'The node to write the rules for. Default: hostnameOverride of\nthe configuration, else the only Node there is.',
  },
  mode: {
    type: 'string',
    choices: modeNames(),
    placeholder: 'MODE',
    description: `The proxy mode: ${either(modeNames())}.\nDefault: mode of the configuration.`,
  },
  'kubernetes-version': {
    type: 'string',
    placeholder: '1.30',
    description:
      'The kube-proxy to be faithful to. Default: that of the Node,\nwhere it tells one, else the newest known of the mode.',
  },
  strict: {
    type: 'boolean',
    description: 'Print nothing and end with 2 where an object has an error,\ninstead of leaving the object out.',
  },
} as const satisfies OptionTable
