import type { Chain, Element, NamedSet } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type {
  NftablesState,
  SetElement,
  TableContribution,
} from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import { isKubeProxyTable } from '@kube-rules/compiler/internal/targets/nftables/static-names'

/** The label of a service port; undefined for content without a known service port. */
type Owner = string | undefined

/**
 * Annotates a table with owners. The names of chains and sets contain their service port. Elements refer to such a
 * chain, or have the service port as comment. Shared content, such as the set of cluster IPs, has no owner.
 */
export function annotateTableOwners(state: NftablesState): NftablesState {
  const table = state.tables.find(isKubeProxyTable)
  if (table === undefined || state.tables.length > 1 || state.contributions !== undefined) return state
  const parts = new Map<string, OpenContribution>()
  const openFor = (owner: string) => {
    const existing = parts.get(owner)
    if (existing !== undefined) return existing
    const { family, name } = table
    const open: OpenContribution = { owner, table: { family, name }, chains: [], sets: [], elements: [] }
    parts.set(owner, open)
    return open
  }
  const chains = table.chains.filter(
    (chain) => !takes(ownerOfName(chain.name), openFor, ({ chains: to }) => to.push(chain)),
  )
  const sets = table.sets.flatMap((set): readonly NamedSet[] => {
    const own = ownerOfName(set.name)
    if (own !== undefined && set.elements.length === 0) openFor(own).sets.push(set)
    if (own !== undefined) return set.elements.length === 0 ? [] : [set]
    const left = set.elements.filter(
      (element) =>
        !takes(ownerOfElement(element), openFor, ({ elements }) => elements.push({ set: set.name, element })),
    )
    return [{ ...set, elements: left }]
  })
  return { tables: state.tables, staticTable: { ...table, chains, sets }, contributions: [...parts.values()] }
}

interface OpenContribution extends TableContribution {
  readonly chains: Chain[]
  readonly sets: NamedSet[]
  readonly elements: SetElement[]
}

function takes(
  owner: Owner,
  openFor: (owner: string) => OpenContribution,
  take: (to: OpenContribution) => void,
): boolean {
  if (owner === undefined) return false
  take(openFor(owner))
  return true
}

const PREFIXES: ReadonlySet<string> = new Set(['service', 'local', 'external', 'firewall', 'endpoint', 'affinity'])

/** Parses the owner in `service-ULMVA6XW-ns1/svc1/tcp/p80` or `endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80`. */
function ownerOfName(name: string): Owner {
  const [prefix = '', hash = ''] = name.split('-', 2)
  if (!PREFIXES.has(prefix) || !/^[A-Z2-7]{8}$/.test(hash)) return undefined
  const [path = ''] = name.slice(prefix.length + hash.length + 2).split('__')
  const [namespace, service, protocol, port, ...others] = path.split('/')
  // A truncated name may not contain the whole port.
  if (port === undefined || others.length > 0 || name.endsWith('...')) return undefined
  const text = port === '' ? `${namespace}/${service}` : `${namespace}/${service}:${port}`
  return formatServicePort({ text, protocol: (protocol ?? '').toUpperCase() })
}

/**
 * Returns the owner of an element. The owner comes from the chain that the element refers to, or from the comment of a
 * rejecting element.
 */
function ownerOfElement({ key, verdict, comment }: Element): Owner {
  const own = verdict !== undefined && 'chain' in verdict ? ownerOfName(verdict.chain) : undefined
  if (own !== undefined || comment === undefined || !comment.includes('/')) return own
  const protocol = splitConcatenation(key).at(-2)
  return protocol === undefined ? undefined : formatServicePort({ text: comment, protocol: protocol.toUpperCase() })
}
