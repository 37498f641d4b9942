export const SERVICES_CHAIN = 'KUBE-SERVICES'
/** In the nat table it marks packets for node ports, in the filter table it accepts health checks. */
export const NODE_PORT_CHAIN = 'KUBE-NODE-PORT'
export const LOAD_BALANCER_CHAIN = 'KUBE-LOAD-BALANCER'
export const PROXY_FIREWALL_CHAIN = 'KUBE-PROXY-FIREWALL'
export const SOURCE_RANGES_CHAIN = 'KUBE-SOURCE-RANGES-FIREWALL'
export const IPVS_FILTER_CHAIN = 'KUBE-IPVS-FILTER'
export const IPVS_OUT_FILTER_CHAIN = 'KUBE-IPVS-OUT-FILTER'
