// What only those load whose tokens are bound to a key.
export { KeyStore } from './keystore';
export { Proofs } from './proof';
