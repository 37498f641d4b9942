/** Reports whether a port is in the default range of node ports. */
export function isInDefaultNodePorts(port: number): boolean {
  return port >= 30_000 && port <= 32_767
}
