/** The texts of the camera, which are part of those of every page that has one. */
const en = {
  camera: 'Camera',
  cameraClose: 'Camera off',
  cameraAsking: 'Allow this page to use the camera …',
  cameraLoading: 'Just a moment …',
  cameraOn: 'Hold the barcode up to the camera.',
  cameraRead: (code: string) => `Read: ${code}`,
  cameraProblems: {
    insecure: 'The camera works only over HTTPS or on this computer itself. Ask your library for the secure address. Until then, type the number below the barcode.',
    refused: 'This page is not allowed to use the camera. Allow it next to the address bar, then try again.',
    none: 'No camera was found. Connect one and try again, or type the number below the barcode.',
    busy: 'The camera shows no picture. Close other programs that use it, then try again.',
    decoder: 'The barcode reader could not be loaded. Check your connection, then try again.',
    lost: 'The camera has been disconnected. Connect it and try again.',
  },
  tryAgain: 'Try again',
};

export type CameraMessages = typeof en;
export default en;
