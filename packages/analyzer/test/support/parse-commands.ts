import type { NftCommand } from '@kube-rules/compiler/internal/dataplane/nftables/command'
import type { Result } from '@kube-rules/types'
import type { TextProblem } from '../../src/dataplane/netfilter/text-problem.js'
import { formatTableKey } from '../../src/dataplane/nftables/apply/apply-command.js'
import { readItems } from '../../src/dataplane/nftables/parse/parse.js'
import { parseCommand } from '../../src/dataplane/nftables/parse/parse-command.js'
import { declaredTypesOf } from '../../src/dataplane/nftables/parse/parse-set.js'
import type { NftablesParser, NftablesProblemCode } from '../../src/dataplane/nftables/parse/problem.js'

/** Parses the commands of a text for `nft -f -`, in order, without executing them; returns the problems on failure. */
export function parseCommands(text: string): Result<readonly NftCommand[], TextProblem<NftablesProblemCode>> {
  const reader: NftablesParser = { source: text, at: 0, problems: [] }
  const commands: NftCommand[] = []
  const sets = new Map<string, ReturnType<typeof declaredTypesOf>>()
  readItems(reader, () => {
    const command = parseCommand(
      reader,
      (place, set) => sets.get(`${formatTableKey(place)} ${set}`) ?? { key: [], data: [] },
    )
    if (command === undefined) return
    if ('set' in command && command.object === 'set') {
      sets.set(`${formatTableKey(command)} ${command.set.name}`, declaredTypesOf(command.set))
    }
    commands.push(command)
  })
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems }
  return { ok: true, value: commands }
}
