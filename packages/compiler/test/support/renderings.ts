export * from './compiled.js'
