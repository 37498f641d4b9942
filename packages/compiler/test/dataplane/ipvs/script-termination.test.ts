import { describe, expect, it } from 'vitest'
import type { IpvsState } from '../../../src/dataplane/ipvs/ast.js'
import {
  recheckTerminating,
  type TerminationResult,
  terminateGracefully,
} from '../../../src/dataplane/ipvs/graceful-termination.js'
import { toTerminationCommands } from '../../../src/dataplane/ipvs/script.js'
import { realServer, virtualServer } from './states.js'

const stateWith = (...addresses: readonly string[]): IpvsState => ({
  virtualServers: [virtualServer({ realServers: addresses.map((address) => realServer(address, 8080)) })],
})

function terminate(previous: IpvsState, next: IpvsState, terminating: readonly string[] = []): TerminationResult {
  return terminateGracefully({ family: 'IPv4', previous, next, terminating, connections: () => 1 })
}

const textOf = ({ changes }: TerminationResult) => toTerminationCommands(changes).map(({ input }) => input)

describe('toTerminationCommands', () => {
  const stopped = terminate(stateWith('10.1.1.1', '10.1.1.2'), stateWith('10.1.1.1', '10.1.1.3'))

  it('adds expected real servers and sets weight 0 for terminating real servers', () => {
    expect(textOf(stopped)).toEqual([
      '-a -t 10.0.0.1:80 -r 10.1.1.3:8080 -m -w 1\n-e -t 10.0.0.1:80 -r 10.1.1.2:8080 -m -w 0\n',
    ])
  })

  it('returns one ipvsadm command', () => {
    const commands = toTerminationCommands(stopped.changes).map(({ input: _, ...rest }) => rest)
    expect(commands).toEqual([{ tool: 'ipvsadm', args: ['-R'], purpose: 'change real servers' }])
  })

  it('deletes terminating real servers that no longer have connections', () => {
    const over = recheckTerminating(stopped.state, stopped.terminating, () => 0)
    expect(textOf(over)).toEqual(['-d -t 10.0.0.1:80 -r 10.1.1.2:8080\n'])
    expect(textOf(recheckTerminating(stopped.state, stopped.terminating, () => 1))).toEqual([])
  })

  it('deletes and adds again a terminating real server that is expected again', () => {
    const back = terminate(stopped.state, stateWith('10.1.1.1', '10.1.1.2', '10.1.1.3'), stopped.terminating)
    expect(textOf(back)).toEqual(['-d -t 10.0.0.1:80 -r 10.1.1.2:8080\n-a -t 10.0.0.1:80 -r 10.1.1.2:8080 -m -w 1\n'])
  })
})
