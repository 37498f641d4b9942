import { formatEntry } from '../../src/dataplane/ipset/entries.js'
import type { IpvsSettings } from '../../src/model/configuration/settings.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import type { Plan } from '../../src/plan/plan.js'
import type { IpvsNodeState } from '../../src/targets/ipvs/mode-lowering.js'
import { buildPlan, type Model } from './build-plan.js'
import type { Configuration } from './decisions.js'
import { lowerIpvs } from './lower.js'
import { features, model, nodeFacts, settings } from './model-builder.js'

export interface IpvsConfiguration extends Configuration {
  readonly family?: Model['family']
}

/** Builds the model of these service ports on the node of the model builder. */
export function ipvsModel(servicePorts: readonly ServicePort[], configuration: IpvsConfiguration = {}): Model {
  const { family = 'IPv4', node, settings: fields } = configuration
  const own = settings({ features: features({}, 'ipvs'), ...fields })
  return model({ family, node: nodeFacts(node), settings: own, servicePorts })
}

/** Builds the plan of these service ports on the node of the model builder. */
export function ipvsPlanOf(servicePorts: readonly ServicePort[], configuration: IpvsConfiguration = {}): Plan {
  return buildPlan(ipvsModel(servicePorts, configuration))
}

export function lowered(servicePorts: readonly ServicePort[], configuration: IpvsConfiguration = {}): IpvsNodeState {
  return lowerIpvs(ipvsPlanOf(servicePorts, configuration))
}

/** Returns the non-empty sets: name → entries as text. */
export function filledSets({ ipset }: IpvsNodeState): Readonly<Record<string, readonly string[]>> {
  const filled = ipset.sets.filter(({ entries }) => entries.length > 0)
  return Object.fromEntries(filled.map(({ name, entries }) => [name, entries.map(formatEntry)]))
}

/** Formats each virtual server as `10.96.0.1:80/TCP 10.180.0.1:80 10.180.0.2:80`, IPv4. */
export function serverLines({ ipvs }: IpvsNodeState): readonly string[] {
  return ipvs.virtualServers.map(({ address, port, protocol, realServers }) =>
    [`${address}:${port}/${protocol}`, ...realServers.map((server) => `${server.address}:${server.port}`)].join(' '),
  )
}

/** Returns the default settings with overrides. */
export function ipvsSettings(fields: Partial<IpvsSettings>): IpvsSettings {
  return { ...settings().ipvs, ...fields }
}
