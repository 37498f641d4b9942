import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import { readArgument } from '@kube-rules/compiler/internal/model/reading/read-safely'
import type { Service } from '@kube-rules/types'

/** The load balancer of a Service with a host name and no address in the status, such as those of AWS. */
export interface LoadBalancerHost {
  /** The Service: `shop/web`. */
  readonly service: string
  /** The host name. */
  readonly host: string
  /** The ports of the Service. */
  readonly ports: ReadonlySet<number>
}

/** Returns the load balancers without an address. Invalid Services are left out. */
export function findLoadBalancerHosts(services: Iterable<Service>): readonly LoadBalancerHost[] {
  return readArgument('services', () => Array.from(itemsOfArgument('services', 'Service', services)).flatMap(hostsOf))
}

function hostsOf(service: Service): readonly LoadBalancerHost[] {
  const { metadata, spec, status } = isObject(service) ? (service as Service) : {}
  const ingress: unknown = status?.loadBalancer?.ingress
  const items = Array.isArray(ingress) ? ingress.filter(isObject) : []
  if (items.some(({ ip }) => typeof ip === 'string' && ip !== '')) return []
  const ports = (Array.isArray(spec?.ports) ? spec.ports : []).map((each) => Number(each?.port))
  return items.flatMap(({ hostname }) =>
    typeof hostname === 'string' && hostname !== ''
      ? { service: `${metadata?.namespace}/${metadata?.name}`, host: hostname, ports: new Set(ports) }
      : [],
  )
}
