// Runs a packet through flows, as Open vSwitch does. Understands the matches and actions of `flows.mjs`.

const PROTOCOLS = new Set(['tcp', 'udp', 'sctp', 'tcp6', 'udp6', 'sctp6'])

/** Returns the ends of a new connection: one for each choice of `multipath`, as texts. */
export function runPacket(flows, packet) {
  const tables = new Map()
  for (const [flow, actions] of flows) {
    const [table, priority, ...matches] = flow.split(',')
    const list = tables.get(table) ?? []
    list.push({ priority: Number(priority.slice('priority='.length)), matches, actions: splitActions(actions) })
    tables.set(table, list)
  }
  return [...new Set(runTable(tables, 0, { ...packet, reg0: 0, reg1: 0, isNew: true, masqueraded: false }))].sort()
}

function runTable(tables, table, state) {
  const matching = (tables.get(`table=${table}`) ?? []).filter(({ matches }) =>
    matches.every((each) => isMatch(each, state)),
  )
  const highest = Math.max(...matching.map(({ priority }) => priority))
  const best = matching.filter(({ priority }) => priority === highest)
  // Which of several flows with one priority counts is undefined.
  if (new Set(best.map(({ actions }) => actions.join())).size > 1) throw new Error(`flows of table ${table} conflict`)
  return best.length === 0 ? ['dropped'] : runActions(tables, best[0].actions, state)
}

function runActions(tables, [action, ...rest], state) {
  if (action === undefined) return []
  const [, name, text = ''] = /^(\w+)[(:]?(.*?)\)?$/s.exec(action)
  if (name === 'NORMAL') return [endOf(state)]
  if (name === 'drop') return ['dropped']
  if (name === 'controller') return ['rejected']
  if (name === 'resubmit') return runTable(tables, Number(text.slice(1)), state)
  if (name === 'set_field') return runActions(tables, rest, { ...state, reg0: withField(state.reg0, text) })
  if (name === 'multipath') {
    const count = Number(text.split(',')[3])
    return Array.from({ length: count }).flatMap((_, reg1) => runActions(tables, rest, { ...state, reg1 }))
  }
  if (name === 'ct') return runTable(tables, Number(/table=(\d+)/.exec(text)[1]), translated(state, text))
  throw new Error(`unknown action ${action}`)
}

function endOf({ endpoint, masqueraded }) {
  return endpoint === undefined ? 'unmatched' : `${endpoint}${masqueraded ? ', masqueraded' : ''}`
}

function translated(state, text) {
  const [, endpoint] = /nat\(dst=(.*?)\)/.exec(text) ?? []
  return { ...state, endpoint: endpoint ?? state.endpoint, masqueraded: state.masqueraded || text.includes('nat(src=') }
}

function withField(reg0, text) {
  const [value, mask] = text.replace('->reg0', '').split('/').map(Number)
  return (reg0 & ~mask) | value
}

function splitActions(text) {
  return text.match(/(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[^,(])+/g)
}

function isMatch(match, packet) {
  const [field, value] = match.split('=')
  if (field === 'ip' || field === 'ipv6') return packet.destination.includes(':') === (field === 'ipv6')
  if (PROTOCOLS.has(field)) return packet.protocol.toLowerCase() === field.replace('6', '')
  if (field.endsWith('_src')) return isInside(packet.source, value)
  if (field.endsWith('_dst') && field !== 'tp_dst') return packet.destination === value
  if (field === 'tp_dst') return packet.destinationPort === Number(value)
  if (field === 'in_port') return value === (packet.origin === 'node' ? 'LOCAL' : `"${packet.inInterface}"`)
  if (field === 'ct_state') return !packet.isNew
  if (field === 'reg1') return packet.reg1 === Number(value)
  const [bits, mask] = value.split('/').map(Number)
  if (field === 'reg0') return (packet.reg0 & mask) === bits
  throw new Error(`unknown match ${match}`)
}

function isInside(address, network) {
  const [base, length] = network.split('/')
  const [a, b] = [address, base].map(toBits)
  return a.length === b.length && a.startsWith(b.slice(0, Number(length ?? b.length)))
}

function toBits(address) {
  const bits = (text, base, size) =>
    Number.parseInt(text || '0', base)
      .toString(2)
      .padStart(size, '0')
  if (!address.includes(':'))
    return address
      .split('.')
      .map((octet) => bits(octet, 10, 8))
      .join('')
  const [head = '', tail] = address.split('::')
  const [start, end] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - start.length - end.length }, () => '0')
  return [...start, ...zeros, ...end].map((group) => bits(group, 16, 16)).join('')
}
