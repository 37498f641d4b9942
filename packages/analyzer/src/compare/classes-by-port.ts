import { PROTOCOLS } from '@kube-rules/types/internal/protocol'
import { enumerateClassesAtPort, type PacketClass, type Report } from './classes.js'
import type { ComparisonSides } from './comparison-side.js'
import type { Destination } from './destinations.js'
import { createPortClassifier, findSymmetryKey, listCandidatePorts, parseMatchedPorts } from './matched-ports.js'
import type { BoundAddresses } from './sources.js'
import { visitEachClass } from './visit-each-class.js'

/**
 * The number of classes that may still be traced, shared by all destinations. At zero, the remaining classes are left
 * out.
 */
export interface PacketClassBudget {
  classes: number
}

/** The state of a search for the classes of all destinations. */
export interface ClassSearch {
  readonly bound: BoundAddresses
  readonly budget: PacketClassBudget
}

/** A traced port with its classes, for the symmetric ports after it. */
interface Representative {
  readonly port: number
  readonly classes: readonly (PacketClass | undefined)[]
}

/**
 * Enumerates the packet classes of a destination. Two ports are symmetric if no rule compares either of them
 * individually, and both are in the same port sets and ranges: then rules handle packets to these ports in the same
 * way. In ipvs mode, all node ports are symmetric for packets to a cluster IP. Only the first of several symmetric
 * ports is traced.
 */
export function enumeratePacketClasses(
  sides: ComparisonSides,
  destination: Destination,
  { bound, budget }: ClassSearch,
  report: Report,
): void {
  const isContested = sides.contested?.has(destination.address) === true
  for (const protocol of PROTOCOLS) {
    const ports = parseMatchedPorts(destination.ports)
    const representatives: Representative[] = []
    const visitPort = (port: number): void => {
      const key = isContested ? undefined : findSymmetryKey(ports, port)
      const symmetric = representatives.find((each) => key !== undefined && key === findSymmetryKey(ports, each.port))
      if (symmetric !== undefined) {
        // No rule translates the packets, so the outcomes and steps contain no port, and the classes also apply to this
        // port.
        for (const each of symmetric.classes)
          report(each && { ...each, packet: { ...each.packet, destinationPort: port } })
        return
      }
      const classes: (PacketClass | undefined)[] = []
      const at = { destination, protocol, port, ports, bound }
      const areReadsComplete = enumerateClassesAtPort(sides, at, (packetClass) => {
        budget.classes--
        if (key !== undefined) classes.push(packetClass)
        report(packetClass)
      })
      if (key !== undefined && areReadsComplete) representatives.push({ port, classes })
    }
    visitEachClass(
      () => (budget.classes > 0 ? listCandidatePorts(ports) : []),
      () => createPortClassifier(ports),
      (each) => {
        for (const port of each) if (budget.classes > 0) visitPort(port)
      },
    )
  }
}
