import type { CompileResult } from '../../src/compilation/compile-result.js'
import { printedTexts } from './printed-texts.js'

/** Returns all visible facts of a result. */
export function factsOf(result: CompileResult) {
  const { mode, kubernetesVersion, diagnostics, counts, families } = result
  return {
    ...{ mode, kubernetesVersion, diagnostics, counts },
    texts: printedTexts(result),
    families: families.map(({ family, plan, hostRequirements, healthCheckNodePorts, counts: own }) => ({
      ...{ family, plan, host: hostRequirements, healthCheckNodePorts, counts: own },
    })),
  }
}
