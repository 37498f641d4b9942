import { featuresOf } from '../../src/model/configuration/features.js'
import { newestVersionOf } from '../../src/model/configuration/versions.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { print } from '../../src/print/print.js'
import { buildPlan, type Model } from './build-plan.js'
import type { Configuration } from './decisions.js'
import { lowerNftables } from './lower.js'
import { model, nodeFacts, settings } from './model-builder.js'

export interface NftablesConfiguration extends Configuration {
  readonly family?: Model['family']
  /** Whose text it is; the newest otherwise. */
  readonly version?: string
}

/** The table of these service ports on the node of the model builder. */
export function nftablesOf(servicePorts: readonly ServicePort[], configuration: NftablesConfiguration = {}) {
  const { family = 'IPv4', version = newestVersionOf('nftables'), node, settings: fields } = configuration
  const own = settings({ features: featuresOf('nftables', version, new Map()), ...fields })
  const built = model({ family, node: nodeFacts(node), settings: own, servicePorts })
  return lowerNftables(buildPlan(built))
}

/** The commands that make it. */
export function commandsOf(servicePorts: readonly ServicePort[], configuration: NftablesConfiguration = {}) {
  return print(nftablesOf(servicePorts, configuration)).split('\n').slice(0, -1)
}

/** The rules of one chain as kube-proxy writes them, in order; undefined where there is no such chain. */
export function rulesOf(commands: readonly string[], chain: string): readonly string[] | undefined {
  const isThere = commands.some((line) => new RegExp(`^add chain ip6? kube-proxy ${chain}(?: |$)`).test(line))
  const start = new RegExp(`^add rule ip6? kube-proxy ${chain} `)
  return isThere ? commands.filter((line) => start.test(line)).map((line) => line.replace(start, '')) : undefined
}

/** The elements of one set or map, in order. */
export function elementsOf(commands: readonly string[], set: string): readonly string[] {
  const start = new RegExp(`^add element ip6? kube-proxy ${set} \\{ (.*) \\}$`)
  return commands.flatMap((line) => start.exec(line)?.[1] ?? [])
}
