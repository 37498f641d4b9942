import type { UserspaceSettings } from '../../src/model/configuration/settings.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import type { Plan } from '../../src/plan/plan.js'
import { planUserspaceService } from '../../src/targets/userspace/planning/plan-service.js'
import type { UserspaceServicePort } from '../../src/targets/userspace/planning/service-ports.js'
import { buildPlan } from './build-plan.js'
import type { Configuration } from './decisions.js'
import { features, model, nodeFacts, settings } from './model-builder.js'

/** Builds the settings of userspace mode on an IPv4 node, with overrides. */
export function processSettings(fields: Partial<UserspaceSettings> = {}): UserspaceSettings {
  return { isServed: true, proxyPorts: {}, ...fields }
}

/** Builds the plan of these service ports in userspace mode, on the node of the model builder, 192.168.0.2. */
export function proxiedPlan(
  servicePorts: readonly ServicePort[],
  configuration: Configuration = {},
  fields: Partial<UserspaceSettings> = {},
): Plan {
  return buildPlan(
    model({
      node: nodeFacts({ hostAddress: '192.168.0.2', ...configuration.node }),
      settings: settings({
        features: features({}, 'userspace'),
        localhostNodePorts: true,
        process: processSettings(fields),
        ...configuration.settings,
      }),
      servicePorts: servicePorts.map(asProxied),
    }),
    planUserspaceService,
  )
}

function asProxied(servicePort: ServicePort): UserspaceServicePort {
  const { id, clusterIP, port, nodePort, externalIPs, loadBalancerIPs, affinitySeconds } = servicePort
  const seen = [id.protocol, clusterIP, port, nodePort, externalIPs, loadBalancerIPs, affinitySeconds !== undefined]
  return { ...servicePort, proxied: { identity: JSON.stringify(seen), stopsEarly: false }, ...servicePort }
}
