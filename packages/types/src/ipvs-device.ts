/**
 * The network interface for the addresses of Services in ipvs mode. With these addresses, the node accepts packets to
 * the Services.
 */
export const IPVS_DEVICE = 'kube-ipvs0'
