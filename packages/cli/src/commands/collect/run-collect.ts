import type { CliContext } from '../../cli-context.js'
import { isLive } from '../../files/load-live-cluster.js'
import { createCollectScript } from '../../live/collect-script.js'
import { writeCollectedFile } from '../../live/live-node.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { collectOptions } from './collect-options.js'

/** Runs `kube-rules collect`. */
export async function runCollect(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(collectOptions, context.args)
  assertNoOperands(operands)
  if (values.live !== undefined || isLive(values)) return writeCollectedFile(context, values, '-')
  await context.stdout.write(createCollectScript(values))
  return 0
}
