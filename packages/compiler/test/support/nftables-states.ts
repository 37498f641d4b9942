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
  /** The Kubernetes version. Default: the newest. */
  readonly version?: string
}

/** Builds the table of these service ports on the node of the model builder. */
export function nftablesOf(servicePorts: readonly ServicePort[], configuration: NftablesConfiguration = {}) {
  const { family = 'IPv4', version = newestVersionOf('nftables'), node, settings: fields } = configuration
  const own = settings({ features: featuresOf('nftables', version, new Map()), ...fields })
  const built = model({ family, node: nodeFacts(node), settings: own, servicePorts })
  return lowerNftables(buildPlan(built))
}

/** Returns the commands that create the table. */
export function commandsOf(servicePorts: readonly ServicePort[], configuration: NftablesConfiguration = {}) {
  return print(nftablesOf(servicePorts, configuration)).split('\n').slice(0, -1)
}

/** Returns the rules of one chain as kube-proxy writes them, in order; undefined if the chain does not exist. */
export function rulesOf(commands: readonly string[], chain: string): readonly string[] | undefined {
  const isThere = commands.some((line) => new RegExp(`^add chain ip6? kube-proxy ${chain}(?: |$)`).test(line))
  const start = new RegExp(`^add rule ip6? kube-proxy ${chain} `)
  return isThere ? commands.filter((line) => start.test(line)).map((line) => line.replace(start, '')) : undefined
}

/** Returns the elements of one set or map, in order. */
export function elementsOf(commands: readonly string[], set: string): readonly string[] {
  const start = new RegExp(`^add element ip6? kube-proxy ${set} \\{ (.*) \\}$`)
  return commands.flatMap((line) => start.exec(line)?.[1] ?? [])
}
