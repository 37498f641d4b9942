import type { Change } from '../../diff/patch.js'
import type { Resource } from '../../diff/resource.js'
import type { Run } from '../netfilter/run.js'
import type { RealServer, VirtualServerDefinition } from './ast.js'
import { realServerDeletion, realServerLine, virtualServerDeletion, virtualServerLine } from './print.js'
import { placeOfId, type RealServerValue } from './resources.js'

export interface IpvsadmOptions {
  /** The ids of real servers that get weight 0 instead of being deleted. */
  readonly stopped?: ReadonlySet<string> | undefined
  /** The ids of real servers that are there with weight 0, although the state the changes start from has none of them. */
  readonly waiting?: ReadonlySet<string> | undefined
  /** Whether what is created may be there already. */
  readonly ensure?: boolean | undefined
}

/** What comes before anything leads to the new servers, and what comes once nothing leads to the old ones. */
export interface IpvsadmStages {
  readonly additions: readonly Run[]
  readonly removals: readonly Run[]
}

/**
 * The runs of `ipvsadm -R` that carry out the changes of virtual and real servers. ipvsadm applies line by line, and goes
 * on after a line that the kernel refuses.
 */
export function planIpvsadm(changes: readonly Change[], options: IpvsadmOptions = {}): IpvsadmStages {
  const gone = new Set(changes.flatMap((change) => (isDeletedServer(change) ? [change.resource.id] : [])))
  return {
    additions: stagesOf(
      'add and change servers',
      changes.flatMap((change) => additionLines(change, options)),
    ),
    removals: stagesOf(
      'remove servers',
      changes.flatMap((change) => removalLines(change, gone, options)),
    ),
  }
}

function isDeletedServer(change: Change): change is Change & { readonly kind: 'delete' } {
  return change.kind === 'delete' && change.resource.refs.length === 0
}

function additionLines(change: Change, options: IpvsadmOptions): readonly string[] {
  if (change.kind === 'update') return [editingLine(change.after)]
  if (change.kind !== 'create') return []
  const { resource } = change
  if (options.ensure) return [addingLine(resource), editingLine(resource)]
  // kube-proxy begins anew with a real server that comes back while it waits.
  if (options.waiting?.has(resource.id)) return [deletingLine(resource), addingLine(resource)]
  return [addingLine(resource)]
}

/** A virtual server takes its real servers with it. */
function removalLines(change: Change, gone: ReadonlySet<string>, { stopped }: IpvsadmOptions): readonly string[] {
  if (change.kind !== 'delete' || change.resource.refs.some((id) => gone.has(id))) return []
  const { resource } = change
  return [stopped?.has(resource.id) ? stoppingLine(resource) : deletingLine(resource)]
}

function addingLine(resource: Resource): string {
  const { virtualServer, realServer } = placeOfId(resource.id)
  if (realServer === undefined) return virtualServerLine('-A', definitionOf(resource))
  return realServerLine('-a', virtualServer, { ...realServerValue(resource), ...realServer })
}

function editingLine(resource: Resource): string {
  const { virtualServer, realServer } = placeOfId(resource.id)
  if (realServer === undefined) return virtualServerLine('-E', definitionOf(resource))
  return realServerLine('-e', virtualServer, { ...realServerValue(resource), ...realServer })
}

function stoppingLine(resource: Resource): string {
  return editingLine({ ...resource, value: { ...realServerValue(resource), weight: 0 } })
}

function deletingLine({ id }: Resource): string {
  const { virtualServer, realServer } = placeOfId(id)
  return realServer === undefined ? virtualServerDeletion(virtualServer) : realServerDeletion(virtualServer, realServer)
}

/** The place is taken from the id, so that a line is always about the resource it is for. */
function definitionOf({ id, value }: Resource): VirtualServerDefinition {
  return { ...(value as VirtualServerDefinition), ...placeOfId(id).virtualServer }
}

function realServerValue({ value }: Resource): Omit<RealServer, 'address' | 'port'> {
  return value as RealServerValue
}

function stagesOf(purpose: string, lines: readonly string[]): readonly Run[] {
  if (lines.length === 0) return []
  return [{ tool: 'ipvsadm', args: ['-R'], input: lines.map((line) => `${line}\n`).join(''), purpose }]
}
