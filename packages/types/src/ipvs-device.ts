/** The network interface on which mode ipvs puts the addresses of Services, so that the node answers for them. */
export const IPVS_DEVICE = 'kube-ipvs0'
