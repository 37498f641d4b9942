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

/** Options that read the rules of a node of a live cluster, in place of `--dump`. */
export const liveNodeOptions = {
  live: {
    type: 'string',
    placeholder: 'NODE',
    description:
      'Like --cluster and --node NODE, and read the rules of the node,\n' +
      'in place of --dump: in its Pod of kube-proxy (kubectl exec), or\n' +
      'see --debug-image and --ssh. Only reads.',
  },
  'debug-image': {
    type: 'string',
    placeholder: 'IMAGE',
    description:
      'With --live, if no Pod of kube-proxy can read the rules: create\n' +
      'a Pod with this image (kubectl debug) after confirmation, and\n' +
      'delete it again. Needs sh and sleep, and iptables or chroot.',
  },
  yes: {
    type: 'boolean',
    short: 'y',
    description: 'Create the Pod of --debug-image without confirmation.',
  },
  ssh: {
    type: 'string',
    placeholder: 'HOST',
    description: 'With --live: read the rules with ssh from this host, as root or\nwith sudo.',
  },
} as const satisfies OptionTable

/** The option that only collects. */
export const collectOnlyOption = {
  'collect-only': {
    type: 'string',
    placeholder: 'FILE|-',
    description:
      'Only write the objects and the rules of --live to one file, for\n-f and --dump, without Secrets and annotations. -: standard\noutput.',
  },
} as const satisfies OptionTable
