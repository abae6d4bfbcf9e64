import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Sends requests with java.net.http. What it reads and prints is described in client.py. */
public class Client {
    public static void main(String[] args) throws Exception {
        SSLContext trusting = trust(args[0]);
        var in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            run(trusting, line.split("\t"));
        }
    }

    static SSLContext trust(String authority) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null);
        try (var file = new FileInputStream(authority)) {
            store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trusted.getTrustManagers(), null);
        return context;
    }

    static void run(SSLContext trusting, String[] fields) {
        var version = fields[5].equals("2") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
        var client = HttpClient.newBuilder().version(version).sslContext(trusting).build();
        byte[] body = new byte[Integer.parseInt(fields[3])];
        var publisher = fields[4].equals("chunked")
            ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)) : BodyPublishers.ofByteArray(body);
        var request = HttpRequest.newBuilder(URI.create(fields[2])).method(fields[1], publisher).timeout(Duration.ofSeconds(20));
        for (int i = 7; i < fields.length; i++) {
            String[] header = fields[i].split(": ", 2);
            request.header(header[0], header[1]);
        }
        for (int i = 0; i < Integer.parseInt(fields[6]); i++) {
            int status = 0;
            String text;
            try {
                HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
                status = answer.statusCode();
                text = answer.version() == version ? answer.body() : "they speak " + answer.version();
            } catch (Exception wrong) {
                text = wrong.toString();
            }
            System.out.println(fields[0] + "\t" + status + "\t" + text.replaceAll("\\s+", " "));
        }
    }
}
