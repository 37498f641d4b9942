import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { features } from './builder/features.js'
import { gallery } from './builder/gallery.js'
import { icon } from './builder/icon.js'
import { oneFile } from './builder/one-file.js'
import { ruleWords } from './builder/rule-words.js'
import { trimLibraries } from './builder/trim-libraries.js'
import { withoutMeanings } from './builder/without-meanings.js'

export default defineConfig({
  // Uses the sources of our packages, so that building the page requires no previous build.
  resolve: {
    conditions: ['@kube-rules/source', 'module', 'browser', 'development|production'],
    alias: {
      '@noble/hashes/sha2.js': fileURLToPath(new URL('src/replacements/sha256.ts', import.meta.url)),
      '@marijn/find-cluster-break': fileURLToPath(new URL('src/replacements/find-cluster-break.ts', import.meta.url)),
    },
  },
  plugins: [gallery(), features(), ruleWords(), trimLibraries(), withoutMeanings(), icon(), oneFile()],
  worker: { format: 'iife' },
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      treeshake: {
        // Reading a field has no side effects in any module.
        propertyReadSideEffects: false,
        // The module has no side effects, although its package.json does not declare that. The editor's commands import
        // it, but no used command needs it.
        moduleSideEffects: [{ test: /@lezer\/common/, sideEffects: false }],
        // Code of the YAML reader for its writer and for YAML 1.1, which is unused here.
        manualPureFunctions: [
          'RegExp',
          'Object.keys',
          'Schema',
          'YAML11_SCHEMA.withTags',
          'defineScalarTag',
          'defineMappingTag',
          'defineSequenceTag',
          // Checks of values that only the library itself makes, and that callers without types could replace.
          'checkChoice',
          'checkCluster',
          'checkCompareOptions',
          'checkComparison',
          'checkCompleteDump',
          'checkDiagnosis',
          'checkDump',
          'checkExplainOptions',
          'checkFunction',
          'checkList',
          'checkMap',
          'checkObject',
          'checkOptionalChoice',
          'checkOptionalCount',
          'checkOptionalFields',
          'checkOptionalMap',
          'checkOptions',
          'checkExplanation',
          'checkPacket',
          'checkPacketOptions',
          'checkPatch',
          'checkPlan',
          'checkPrintOptions',
          'checkReachability',
          'checkReport',
          'checkResult',
          'checkSameFamily',
          'checkShape',
          'checkSideNames',
          'checkSourceContext',
          'checkSpelling',
          'checkState',
          'checkString',
          'checkStrings',
          'checkTraceContext',
          'checkView',
        ],
      },
    },
  },
  preview: { host: '127.0.0.1', port: 4180 },
  server: { host: '127.0.0.1', port: 4181 },
})
