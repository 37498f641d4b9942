import { defineConfig } from 'vite'
import { gallery } from './builder/gallery.js'
import { oneFile } from './builder/one-file.js'

export default defineConfig({
  // The sources of our packages: a build of the page needs no build before it.
  resolve: { conditions: ['@kube-rules/source', 'module', 'browser', 'development|production'] },
  plugins: [gallery(), oneFile()],
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
        // No module reads a field for what reading it does.
        propertyReadSideEffects: false,
        // It does nothing by itself, which its package.json does not say; the editor's commands name it, and none that is used needs it.
        moduleSideEffects: [{ test: /@lezer\/common/, sideEffects: false }],
        // What the reader of YAML makes for its writer and for YAML 1.1, which nobody uses here.
        manualPureFunctions: [
          'RegExp',
          'Object.keys',
          'Schema',
          'YAML11_SCHEMA.withTags',
          'defineScalarTag',
          'defineMappingTag',
          'defineSequenceTag',
        ],
      },
    },
  },
  preview: { host: '127.0.0.1', port: 4180 },
  server: { host: '127.0.0.1', port: 4181 },
})
