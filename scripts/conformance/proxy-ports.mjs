/**
 * Compares the stable ports of the process between two steps with the recording, in userspace mode without explicit
 * ports. `memory` has the data of the previous step.
 * @returns a line for each service port of both steps that retains its port in only one of the two
 */
export function portProblems(library, { proxyPorts: theirs }, input, options, memory) {
  if (theirs === undefined) return []
  const before = memory.get('ports')
  const host = { ...input.host, proxyPorts: undefined }
  const result = library.compile({ ...input, host }, { ...options, previous: before?.result })
  const states = Object.fromEntries(result.families.map(({ family, state }) => [family, state]))
  const ours = library.hosts.inferHost(states, result.mode).proxyPorts ?? {}
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
