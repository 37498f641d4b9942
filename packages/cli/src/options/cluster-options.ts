import { listModes } from '@kube-rules/compiler'
import { formatAlternatives } from './format-alternatives.js'
import type { OptionTable } from './option.js'

/** Options for configuration, host and version; shared by the commands that compile. */
export const clusterOptions = {
  config: {
    type: 'string',
    placeholder: 'FILE',
    description:
      'A KubeProxyConfiguration, a ConfigMap with it, or the settings\nof Talos, K3s, RKE2 or kops. Overrides a configuration in the\nobjects.',
  },
  host: {
    type: 'string',
    placeholder: 'FILE',
    description:
      'Facts about the node: interfaces with their addresses, features\n' +
      'of its kernel and iptables. Default: the addresses of the Node.',
  },
  node: {
    type: 'string',
    placeholder: 'NAME',
    description:
      'The node to compute rules for. Default: hostnameOverride of\n' +
      'the configuration, else the Node with an address of the dump,\nelse the first Node by name.',
  },
  mode: {
    type: 'string',
    choices: listModes(),
    placeholder: 'MODE',
    description: `The proxy mode: ${formatAlternatives(listModes())}.\nDefault: mode of the configuration.`,
  },
  'kubernetes-version': {
    type: 'string',
    placeholder: '1.30',
    description:
      'The kube-proxy version to emulate. Default: the version in the\nNode, else the newest version of the mode.',
  },
  strict: {
    type: 'boolean',
    description: 'Print nothing and exit with 2 if an object has an error,\ninstead of skipping the object.',
  },
} as const satisfies OptionTable
