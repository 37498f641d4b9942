import { type Diagnostic, formatDiagnostic } from '@kube-rules/types'
import { checkObject, checkOptions } from '../arguments/check-argument.js'
import { COMMON_OPTIONS } from '../compilation/check-compile-arguments.js'
import { compileUpdate } from '../compilation/compile.js'
import type { CompileResult } from '../compilation/compile-result.js'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { readArgument } from '../model/reading/read-safely.js'
import { createNodeUpdates } from './node-updates.js'
import { trackNode } from './track-node.js'
import { createTrackedHost } from './tracked-host.js'
import { createTrackedObjects } from './tracked-objects.js'
import type { Tracker, TrackerOptions } from './tracker-types.js'

/**
 * Creates a tracker without objects. A burst of events results in one update, because only the objects at the time of
 * `sync` matter.
 *
 * @example
 * ```ts
 * const tracker = createTracker({ nodeName: 'node-1' })
 * tracker.replace('Node', input.nodes)
 * tracker.upsert(input.services[0], 'Service') // => true
 * const { ok, update } = await tracker.run(({ tool, args, input }) => 0)
 * ok // => true
 * update.full // => true
 * tracker.sync().patch.families // => []
 * ```
 */
export function createTracker(options: TrackerOptions = {}): Tracker {
  checkOptions<TrackerOptions>(options, {
    ...{ nodeName: 'string', ...COMMON_OPTIONS, configuration: 'other', host: 'other', actual: 'other' },
  })
  const { configuration, host: firstHost, actual, ...compileOptions } = options
  const objects = createTrackedObjects()
  const host = createTrackedHost(firstHost, compileOptions)
  let compiled: CompileResult | undefined
  const compileObjects = (isFullSync: boolean) => {
    const input = objects.input(configuration)
    const used = readArgument('input', () => host.next(input))
    const result = compileUpdate(
      { ...input, host: used.host },
      { ...compileOptions, kubernetesVersion: used.kubernetesVersion, previous: compiled },
      isFullSync,
    )
    const newDiagnostics = findNewDiagnostics(compiled, result)
    host.keep(used)
    compiled = result
    return { result, newDiagnostics }
  }
  return {
    apply: (event, kind) => {
      const { type, object } = checkObject('event', event, 'an event with type and object')
      if (type === 'BOOKMARK' || type === 'ERROR') return false
      if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
        return readArgument('object', () => objects.change(object, kind, type === 'DELETED'))
      throw createArgumentTypeError('event', type, 'an event type', 'type', EVENT_TYPES)
    },
    upsert: (object, kind) => readArgument('object', () => objects.change(object, kind, false)),
    delete: (object, kind) => readArgument('object', () => objects.change(object, kind, true)),
    replace: objects.replace,
    setHost: host.set,
    rereadNode: host.reread,
    ...createNodeUpdates(trackNode(actual), compileObjects),
  }
}

const EVENT_TYPES = 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR'

function findNewDiagnostics(previous: CompileResult | undefined, next: CompileResult): readonly Diagnostic[] {
  if (previous === undefined) return next.diagnostics
  if (previous.diagnostics === next.diagnostics) return []
  const known = new Set(previous.diagnostics.map(formatDiagnostic))
  return next.diagnostics.filter((diagnostic) => !known.has(formatDiagnostic(diagnostic)))
}
