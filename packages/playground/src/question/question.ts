/** Everything that whoever uses the page has said: what a permalink holds, and what the engine answers. Plain data. */
export interface Question {
  /** The objects of the cluster, YAML or JSON. */
  readonly objects: string
  /** Objects to compare these with, as they were earlier; empty: none. */
  readonly before: string
  /** What the node itself has, as for `--host`. */
  readonly host: string
  /** What the node holds, as its tools print it. */
  readonly dump: string
  /** Empty: that of the configuration. */
  readonly mode: string
  /** The Kubernetes minor version; empty: that of the Node, else the newest. */
  readonly version: string
  /** The node's name; empty: that of the configuration, else the only one. */
  readonly node: string
  /** `IPv4` or `IPv6`; empty: the one that the command would print. */
  readonly family: string
  /** `restore`, `save` or `listing`. */
  readonly style: string
  /** Of mode ipvs one language alone; empty: all. */
  readonly language: string
  /** Whether Services without a cluster IP are given one, as by `--assign-cluster-ips`. */
  readonly assign: boolean
  /** That of objects and of a Service in the packet box that name none, as by `--namespace`; empty: none. */
  readonly namespace: string
  /** Another mode (`nftables`) or version (`1.30`) to compare with; empty: none. */
  readonly against: string
  /** `from outside → node:30080`. */
  readonly packet: string
  /** Whether it is of a flow that exists, as by `--established`. */
  readonly established: boolean
  /** What packets go through: `rules` that were compiled, or those of the `dump`. */
  readonly through: string
  /** Which of the panes at the right is open. */
  readonly pane: string
}

export const NO_QUESTION: Question = {
  objects: '',
  before: '',
  host: '',
  dump: '',
  mode: '',
  version: '',
  node: '',
  family: '',
  style: 'save',
  language: '',
  assign: false,
  namespace: '',
  against: '',
  packet: '',
  established: false,
  through: 'rules',
  pane: 'rules',
}

/** A question with these fields, as far as they are of the types they should be; anything may be given. */
export function questionOf(fields: unknown): Question {
  if (typeof fields !== 'object' || fields === null) return NO_QUESTION
  const known = Object.entries(NO_QUESTION).map(([name, usual]) => {
    const given: unknown = Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : undefined
    return [name, typeof given === typeof usual ? given : usual]
  })
  return Object.fromEntries(known) as Question
}

/** What a question says that is not said anyway. */
export function saidIn(question: Question): Partial<Question> {
  const usual = NO_QUESTION as unknown as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(question).filter(([name, value]) => value !== usual[name]))
}
