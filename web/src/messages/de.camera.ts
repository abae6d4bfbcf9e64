import type { CameraMessages } from './en.camera';

const de: CameraMessages = {
  camera: 'Kamera',
  cameraClose: 'Kamera aus',
  cameraAsking: 'Der Browser fragt, ob diese Seite die Kamera benutzen darf …',
  cameraLoading: 'Einen Augenblick …',
  cameraOn: 'Den Barcode ins Bild halten.',
  cameraRead: (code) => `Gelesen: ${code}`,
  cameraProblems: {
    insecure: 'Die Kamera funktioniert nur über HTTPS oder auf diesem Computer selbst. Fragen Sie die Betreiber der Bibliothek nach der sicheren Adresse. Bis dahin können Sie die Nummer unter dem Barcode eingeben.',
    refused: 'Diese Seite darf die Kamera nicht benutzen. Erlauben Sie es neben der Adresszeile und versuchen Sie es noch einmal.',
    none: 'Keine Kamera gefunden. Schließen Sie eine an und versuchen Sie es noch einmal, oder geben Sie die Nummer unter dem Barcode ein.',
    busy: 'Die Kamera zeigt kein Bild. Schließen Sie andere Programme, die sie benutzen, und versuchen Sie es noch einmal.',
    decoder: 'Der Barcode-Leser konnte nicht geladen werden. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
    lost: 'Die Kamera wurde getrennt. Schließen Sie sie an und versuchen Sie es noch einmal.',
  },
  tryAgain: 'Noch einmal versuchen',
};

export default de;
