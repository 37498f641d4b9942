import type { OptionTable } from '../options/option.js'

/** Where a cluster's objects come from; shared by the commands that read one. */
export const clusterOptions = {
  filename: {
    type: 'string',
    short: 'f',
    multiple: true,
    placeholder: 'FILE|DIR|-',
    description:
      'Objects to read, YAML or JSON; may be given several times.\n' +
      '-: standard input. DIR: every .yaml, .yml and .json file in it,\n' +
      'by name, subdirectories left out.',
  },
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
} as const satisfies OptionTable
