import type { CommandPhase, ToolCommand } from '../dataplane/netfilter/tool-command.js'
import { groupChangesBySubsystem } from '../dataplane/node-resources.js'
import { SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import type { PriorKnowledgeBySubsystem, SubsystemCommandOptions } from '../dataplane/tool-options.js'
import type { Change } from '../patch/patch.js'
import { COMMAND_WRITERS } from './command-writers.js'

export interface ChangeCommandOptions extends Omit<SubsystemCommandOptions, 'start'> {
  /** What is known about the state of each subsystem on the node before the changes. A missing subsystem is `known`. */
  readonly start?: PriorKnowledgeBySubsystem | undefined
}

/**
 * Returns the tool commands that apply changes of resources in any subsystems. The order of the commands keeps every
 * reference valid. First, new resources are created; each subsystem follows the subsystems that it depends on. Then,
 * rules that refer to the new resources are changed. Last, unreferenced resources are removed, in reverse order. The
 * order also supports switching from one mode to another.
 *
 * Only the commits of iptables and nftables are atomic: ipset, ipvsadm and ip apply their input line by line.
 *
 * If the state of a subsystem is unknown and the subsystem has no expected resources, the whole subsystem is removed.
 * In this case, the tool of the subsystem may be missing on the node.
 */
export function toChangeCommands(
  changes: readonly Change[],
  { start = {}, ...options }: ChangeCommandOptions,
): readonly ToolCommand[] {
  const bySubsystem = groupChangesBySubsystem(changes)
  const names = SUBSYSTEMS.filter((name) => bySubsystem.has(name) || start[name] === 'unknown')
  const commands = names.flatMap((name): readonly OwnCommand[] => {
    const own = bySubsystem.get(name) ?? []
    const phased = COMMAND_WRITERS[name].writeCommands(own, { ...options, start: start[name] })
    if (start[name] !== 'unknown' || own.some(({ kind }) => kind !== 'delete')) {
      return phased.map((each) => ({ name, ...each }))
    }
    return phased.map(({ command }) => ({ name, phase: 'withdraw', command: { ...command, toolMayBeMissing: true } }))
  })
  const inPhase = (phase: CommandPhase): readonly OwnCommand[] => commands.filter((each) => each.phase === phase)
  const withdrawn = [...names].reverse().flatMap((name) => inPhase('withdraw').filter((each) => each.name === name))
  return joinNeighbours([...inPhase('provide'), ...inPhase('switch'), ...withdrawn])
}

interface OwnCommand {
  readonly name: Subsystem
  readonly phase: CommandPhase
  readonly command: ToolCommand
}

/**
 * Merges consecutive commands of the same tool if the tool applies input line by line. Commands of tools with atomic
 * commits stay separate.
 */
function joinNeighbours(runs: readonly OwnCommand[]): readonly ToolCommand[] {
  const joined: OwnCommand[] = []
  for (const next of runs) {
    const last = joined.at(-1)
    if (last === undefined || !canJoin(last, next)) joined.push(next)
    else joined[joined.length - 1] = { ...last, command: joinRuns(last.command, next.command) }
  }
  return joined.map(({ command }) => command)
}

function canJoin(last: OwnCommand, next: OwnCommand): boolean {
  if (last.name !== next.name || !COMMAND_WRITERS[next.name].appliesByLine) return false
  return last.command.allowFailure === next.command.allowFailure
}

function joinRuns(first: ToolCommand, second: ToolCommand): ToolCommand {
  return { ...first, input: first.input + second.input, purpose: `${first.purpose}, ${second.purpose}` }
}
