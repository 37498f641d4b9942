/** All input of the page: the content of a permalink, and the input of the engine. Plain data. */
export interface PlaygroundRequest {
  /** The objects of the cluster, YAML or JSON. */
  readonly objects: string
  /** An earlier version of the objects to compare with. Empty if there is none. */
  readonly before: string
  /** The host description, as for `--host`. */
  readonly host: string
  /**
   * The name of the node that the host description belongs to. For other nodes, the host description is ignored. If
   * empty, it applies to every node.
   */
  readonly hostNode: string
  /** Returns the rules of the node as a dump, in the format of the tools. */
  readonly dump: string
  /** The mode. If empty, the mode of the configuration is used. */
  readonly mode: string
  /** The Kubernetes minor version. If empty, the version of the Node is used, else the newest version. */
  readonly version: string
  /** The node name. If empty, the name from the configuration is used, else the name of the only node. */
  readonly node: string
  /** `IPv4` or `IPv6`. If empty, the family that the command prints by default is used. */
  readonly family: string
  /** `restore`, `save` or `listing`. */
  readonly format: string
  /** The only subsystem of ipvs mode to print. If empty, all subsystems are printed. */
  readonly subsystem: string
  /** Whether to assume missing values even if the objects have endpoints, like `--assume`. */
  readonly assign: boolean
  /**
   * The default namespace of objects and of the Service in the packet box, as for `--namespace`. If empty, there is no
   * default namespace.
   */
  readonly namespace: string
  /** Another mode (`nftables`) or version (`1.30`) to compare with. Empty if there is none. */
  readonly against: string
  /** The packet, such as `from outside → node:30080`. */
  readonly packet: string
  /** Whether the packet belongs to an existing flow, as for `--established`. */
  readonly established: boolean
  /** Facts that the rules do not contain, one per line: `+FACT` if it is true, `-FACT` if it is false. */
  readonly answers: string
  /** The rules that packets traverse: `rules` for the compiled rules, or `dump` for the rules in the dump. */
  readonly through: string
  /** The open pane on the right. */
  readonly pane: string
}

export const DEFAULT_REQUEST: PlaygroundRequest = {
  objects: '',
  before: '',
  host: '',
  hostNode: '',
  dump: '',
  mode: '',
  version: '',
  node: '',
  family: '',
  format: 'save',
  subsystem: '',
  assign: false,
  namespace: '',
  against: '',
  packet: '',
  established: false,
  answers: '',
  through: 'rules',
  pane: 'rules',
}

/** The allowed values of the fields that have a fixed set of values. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  format: ['restore', 'save', 'listing'],
  through: ['rules', 'dump'],
  pane: ['rules', 'change', 'comparison', 'dump'],
}

/**
 * Builds a request from any value. Ignores fields with a wrong type, and values that are not among the choices of a
 * field.
 */
export function toPlaygroundRequest(fields: unknown): PlaygroundRequest {
  if (typeof fields !== 'object' || fields === null) return DEFAULT_REQUEST
  const known = Object.entries(DEFAULT_REQUEST).map(([name, usual]) => {
    const given: unknown = Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : undefined
    const isKnown = typeof given === 'string' && CHOICES[name]?.includes(given) !== false
    return [name, typeof given === typeof usual && (typeof given !== 'string' || isKnown) ? given : usual]
  })
  return Object.fromEntries(known) as PlaygroundRequest
}

/** Returns the fields of a request that differ from their defaults. */
export function pickChangedFields(question: PlaygroundRequest): Partial<PlaygroundRequest> {
  const usual = DEFAULT_REQUEST as unknown as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(question).filter(([name, value]) => value !== usual[name]))
}
