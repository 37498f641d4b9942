import type { CliContext } from '../../cli-context.js'
import { createCollectScript } from '../../live/collect-script.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { collectOptions } from './collect-options.js'

/** Runs `kube-rules collect`. */
export async function runCollect(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(collectOptions, context.args)
  assertNoOperands(operands)
  await context.stdout.write(createCollectScript(values))
  return 0
}
