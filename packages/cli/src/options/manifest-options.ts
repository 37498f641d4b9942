import type { OptionTable } from './option.js'

/** What stands in for an API server where objects come from manifests; shared by the commands that say what will be. */
export const manifestOptions = {
  namespace: {
    type: 'string',
    short: 'n',
    placeholder: 'NAME',
    description: 'The namespace of objects that name none, as for kubectl apply.',
  },
  'assign-cluster-ips': {
    type: 'boolean',
    description:
      'Give Services without a cluster IP one that follows from their\n' +
      'name, out of networks that are for tests (198.18.0.0/15 and\n' +
      '2001:2::/48): to review rules, not to load them.',
  },
} as const satisfies OptionTable
