/** The network interface of mode ipvs for the addresses of Services, so that the node accepts their packets. */
export const IPVS_DEVICE = 'kube-ipvs0'
