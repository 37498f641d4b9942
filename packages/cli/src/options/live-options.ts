import type { OptionTable } from './option.js'

/** Options that read the objects of a live cluster with kubectl, in place of `-f`. */
export const liveOptions = {
  cluster: {
    type: 'boolean',
    description:
      'Read the objects and the configuration of kube-proxy from the\ncurrent cluster of kubectl, in place of -f. Only reads.',
  },
  context: {
    type: 'string',
    placeholder: 'NAME',
    description: 'Like --cluster, with this context of kubectl.',
  },
  kubeconfig: {
    type: 'string',
    placeholder: 'FILE',
    description: 'Like --cluster, with this kubeconfig file.',
  },
} as const satisfies OptionTable
