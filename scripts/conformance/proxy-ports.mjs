/**
 * Compares which ports of the process stay from one step to the next, in mode userspace, where nothing is said of them, with
 * which stayed in the recording. `memory` holds what is to be known of the step before.
 * @returns a line for each service port of both steps that keeps its port in one of the two alone
 */
export function portProblems(library, { proxyPorts: theirs }, input, options, memory) {
  if (theirs === undefined) return []
  const before = memory.get('ports')
  const host = { ...input.host, proxyPorts: undefined }
  const result = library.compile({ ...input, host }, { ...options, previous: before?.result })
  const states = Object.fromEntries(result.families.map(({ family, state }) => [family, state]))
  const ours = library.hosts.hostTold(states, result.mode).proxyPorts ?? {}
  memory.set('ports', { result, ours, theirs })
  if (before === undefined) return []
  const isInAll = (name) => [theirs, before.ours, before.theirs].every((ports) => name in ports)
  const isKept = (name) => [ours[name] === before.ours[name], theirs[name] === before.theirs[name]]
  return Object.keys(ours)
    .filter(isInAll)
    .filter((name) => isKept(name)[0] !== isKept(name)[1])
    .map(
      (name) => `${name} ${isKept(name)[0] ? 'keeps its port, which was changed' : 'changes its port, which was kept'}`,
    )
}
